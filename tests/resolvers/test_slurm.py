from tests.asking import Gateway
from tests.builders import a_job, a_node, a_slurm_node
from tests.fleets import NEVER, SLURM_JOBS, a_keeper


def a_job_query(asked):
    return f'{{ slurmJob(slurmCluster: "island", jobId: "7") {{ {asked} }} }}'


def test_a_job_on_one_machine_names_it():
    keeper = a_keeper(slurm_nodes=[a_slurm_node()], jobs=[a_job("7", {"gpu-01": 2})])

    found = Gateway(keeper).data(a_job_query("node { name } nodes { name } slurmState state user partition"))

    assert found["slurmJob"] == {
        "node": {"name": "gpu-01"},
        "nodes": [{"name": "gpu-01"}],
        "slurmState": "RUNNING",
        "state": "RUNNING",
        "user": "ada",
        "partition": "gpu",
    }


def test_a_job_on_several_machines_is_on_no_one_of_them():
    names = ["gpu-01", "gpu-02"]
    keeper = a_keeper(
        nodes=[a_node("gpu-02")],
        slurm_nodes=[a_slurm_node(name) for name in names],
        jobs=[a_job("7", dict.fromkeys(names, 8))],
    )

    found = Gateway(keeper).data(a_job_query("node { name } nodes { name }"))["slurmJob"]

    assert found == {"node": None, "nodes": [{"name": "gpu-01"}, {"name": "gpu-02"}]}


def test_a_job_whose_machine_nobody_knows_is_on_none():
    """Slurm answers and does not list it: it was taken out of the configuration."""
    keeper = a_keeper(slurm_nodes=[a_slurm_node()], jobs=[a_job("7", {"removed": 8, "gpu-01": 8})])

    found = Gateway(keeper).data(a_job_query("node { name } nodes { name }"))["slurmJob"]

    assert found == {"node": None, "nodes": [{"name": "gpu-01"}]}


def test_a_node_lists_the_jobs_that_hold_it():
    keeper = a_keeper(
        slurm_nodes=[a_slurm_node()],
        jobs=[a_job("7", {"gpu-01": 2}), a_job("9", {"gpu-01": 2}, "COMPLETED"), a_job("8", {"gpu-02": 2})],
    )

    found = Gateway(keeper).data('{ node(cluster: "fleet", name: "gpu-01") { slurm { jobs { jobId } } } }')

    assert found["node"]["slurm"] == {"jobs": [{"jobId": "7"}]}


def test_jobs_that_are_silent_are_no_empty_list():
    keeper = a_keeper(slurm_nodes=[a_slurm_node()], jobs=[a_job("7")])
    keeper.touch(SLURM_JOBS, NEVER)

    answer = Gateway(keeper).ask(
        '{ node(cluster: "fleet", name: "gpu-01") { slurm { name jobs { jobId } } unknowns { field } } }'
    )

    assert answer["data"]["node"]["slurm"] == {"name": "gpu-01", "jobs": None}
    assert {"field": "slurm.jobs"} in answer["data"]["node"]["unknowns"]
    assert [error["path"] for error in answer["errors"]] == [["node", "slurm", "jobs"]]
