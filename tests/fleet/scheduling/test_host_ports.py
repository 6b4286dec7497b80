import pytest

from tests.fleet.scheduling.scenes import node, pod, said

TAKEN = ["node(s) didn't have free ports for the requested pod ports"]


def port(number, **more):
    return {"containerPort": 80, "hostPort": number, **more}


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        (port(9400), TAKEN),
        (port(9400, hostIP="10.0.0.1"), TAKEN),
        (port(9400, protocol="UDP"), True),
        (port(9401), True),
        ({"containerPort": 9400}, True),
    ],
)
def test_a_port_on_every_address_is_taken_on_each(asked, fits):
    holder = pod("exporter", on="gpu-01", ports=[port(9400)])

    assert said(pod(ports=[asked]), [node()], [holder]) == {"gpu-01": fits}


def test_addresses_have_ports_of_their_own():
    holder = pod("exporter", on="gpu-01", ports=[port(9400, hostIP="10.0.0.1")])

    assert said(pod(ports=[port(9400, hostIP="10.0.0.2")]), [node()], [holder]) == {"gpu-01": True}
    assert said(pod(ports=[port(9400, hostIP="10.0.0.1")]), [node()], [holder]) == {"gpu-01": TAKEN}
    assert said(pod(ports=[port(9400)]), [node()], [holder]) == {"gpu-01": TAKEN}


@pytest.mark.parametrize(("more", "fits"), [({"leaving": True}, TAKEN), ({"phase": "Succeeded"}, True)])
def test_pods_hold_their_ports_until_they_ended(more, fits):
    holder = pod("exporter", on="gpu-01", ports=[port(9400)], **more)

    assert said(pod(ports=[port(9400)]), [node()], [holder]) == {"gpu-01": fits}


def test_a_sidecar_holds_its_ports_and_an_init_container_does_not():
    asks = pod(ports=[port(9400)])
    starting = {"name": "proxy", "ports": [port(9400)]}

    sidecar = pod("a", on="gpu-01", initContainers=[{**starting, "restartPolicy": "Always"}])
    init = pod("b", on="gpu-01", initContainers=[starting])

    assert said(asks, [node()], [sidecar]) == {"gpu-01": TAKEN}
    assert said(asks, [node()], [init]) == {"gpu-01": True}
