from gateway.errors import System
from gateway.fleet.platform import Target
from gateway.fleet.unknown import Unknown, UnknownCode
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, a_workspace
from tests.fleet.lines import line, lines, machine, numbers
from tests.fleets import a_machine, silence
from tests.gpu_labels import A100, GPU, H100, T4, mixed, whole

MIG = "nvidia.com/mig-"
KUBERNETES, SLURM = Target.KUBERNETES, Target.SLURM
FOR_SLURM = a_record(target=SLURM)


def test_one_machine_with_unknown_cards_leaves_its_sums_unknown_and_no_other():
    drawn = lines(
        machine("gpu-01"),
        machine("gpu-02", labels=whole("eight")),
        machine("gpu-03", labels=whole(4, T4)),
        workspaces=[a_workspace(given={H100: 4})],
    )

    unknown = drawn[H100, KUBERNETES].physical
    assert unknown.code is UnknownCode.UNDETERMINED
    assert unknown.reason.startswith("gpu-02: the label nvidia.com/gpu.count says 'eight'")
    assert drawn[H100, KUBERNETES].allocated == 4
    assert drawn[T4, KUBERNETES].physical == 4


def test_a_dead_machine_with_unknown_cards_has_none_that_are_healthy():
    drawn = line(machine("gpu-01"), machine("gpu-02", labels=whole("eight"), ready=False))

    assert isinstance(drawn.physical, Unknown)
    assert (drawn.healthy, drawn.schedulable) == (8, 8)


def test_a_cordoned_machine_has_nothing_schedulable_whatever_its_cards():
    drawn = line(machine("gpu-01"), machine("gpu-02", labels=whole("eight"), cordoned=True))

    assert isinstance(drawn.healthy, Unknown)
    assert drawn.schedulable == 8


def test_null_lines_stay_null_where_their_cards_are_unknown():
    drawn = line(a_machine(a_node(labels={**whole("?")})))

    assert isinstance(drawn.healthy, Unknown)
    assert (drawn.allocated, drawn.available, drawn.deficit) == (None, None, None)


def test_an_unreadable_job_leaves_the_slurm_line_unknown_and_its_cards_standing():
    lost = silence(System.SLURM, code=UnknownCode.UNDETERMINED)
    drawn = line(a_machine(record=FOR_SLURM, slurm=a_slurm_node(), jobs=(a_job("7", lost),)))

    assert (drawn.physical, drawn.healthy) == (8, 8)
    assert drawn.allocated.reason == "gpu-01: 7: SLURM is silent"
    assert isinstance(drawn.available, Unknown)


SILENT_KUBERNETES, SILENT_SLURM = silence(System.KUBERNETES), silence(System.SLURM)


def test_silent_slurm_leaves_the_kubernetes_lines_whole():
    node = a_machine(a_node(), a_record(), SILENT_SLURM, pods=(a_pod(),), jobs=SILENT_SLURM)

    drawn = line(node, workspaces=[a_workspace()], slurm_silence=SILENT_SLURM)

    assert list(numbers(drawn).values()) == [8, 8, 8, 0, 4, 1, 4, 0]


def test_silent_slurm_leaves_every_line_unknown_that_may_lack_its_machines():
    drawn = lines(
        a_machine(a_node("gpu-01"), a_record("gpu-01", SLURM), SILENT_SLURM, jobs=SILENT_SLURM),
        a_machine(a_node("gpu-02"), slurm=SILENT_SLURM, jobs=SILENT_SLURM),
        slurm_silence=SILENT_SLURM,
    )

    for target, nulls in ((SLURM, []), (None, [None])):
        told = list(numbers(drawn[H100, target]).values())
        assert [value for value in told if value != SILENT_SLURM] == nulls * 3
        assert drawn[H100, target].slices == SILENT_SLURM


def test_a_tenants_line_is_unknown_where_one_of_its_machines_is_slurms_and_slurm_is_silent():
    drawn = lines(
        a_machine(a_node("gpu-01"), a_record("gpu-01", SLURM), a_slurm_node("gpu-01")),
        a_machine(record=a_record("s-1", SLURM), slurm=SILENT_SLURM, jobs=SILENT_SLURM),
        machine("gpu-02"),
    )

    assert drawn[H100, SLURM].physical == drawn[None, SLURM].physical == SILENT_SLURM
    assert drawn[H100, KUBERNETES].physical == 8


def test_silent_kubernetes_leaves_what_the_platform_gave_standing():
    gone = a_machine(SILENT_KUBERNETES, a_record("gpu-01"), pods=SILENT_KUBERNETES)

    drawn = lines(gone, workspaces=[a_workspace(given={H100: 4})])[H100, KUBERNETES]

    told = numbers(drawn)
    assert told.pop("allocated") == 4
    assert set(told.values()) == {SILENT_KUBERNETES}
    assert drawn.slices == SILENT_KUBERNETES


def test_silent_kubernetes_of_unassigned_machines_leaves_assigned_lines_whole():
    drawn = lines(
        machine("gpu-01"),
        a_machine(SILENT_KUBERNETES, a_record("gpu-02", None), pods=SILENT_KUBERNETES),
    )

    assert drawn[H100, KUBERNETES].physical == 8
    assert drawn[None, None].physical == SILENT_KUBERNETES


def test_silent_pods_leave_the_cards_standing():
    drawn = line(
        a_machine(
            a_node(labels=mixed(8), capacity={GPU: 6, f"{MIG}1g.10gb": 14}),
            a_record(),
            pods=SILENT_KUBERNETES,
        ),
        workspaces=[a_workspace(given={A100: 4})],
    )

    assert (drawn.physical, drawn.healthy, drawn.available) == (8, 8, 4)
    assert drawn.used == drawn.slices[0].requested == SILENT_KUBERNETES


def test_silent_jobs_leave_slurms_cards_standing():
    drawn = line(a_machine(record=FOR_SLURM, slurm=a_slurm_node(), jobs=SILENT_SLURM))

    assert (drawn.physical, drawn.healthy, drawn.schedulable) == (8, 8, 8)
    assert drawn.allocated == drawn.available == drawn.used == SILENT_SLURM


def test_silent_kubernetes_leaves_slurms_line_unknown_where_it_may_know_more_of_the_machine():
    drawn = lines(
        a_machine(record=a_record("s-1", SLURM), slurm=a_slurm_node("s-1")),
        a_machine(SILENT_KUBERNETES, a_record("s-2", SLURM), a_slurm_node("s-2")),
    )

    assert drawn[H100, SLURM].physical == drawn[None, SLURM].physical == SILENT_KUBERNETES
