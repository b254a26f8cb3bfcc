"""A four-legged robot tumbles without gravity, its legs swinging: energy and momentum stay what they were."""

import numpy as np

import featherstone as fs


def momentum(robot, q, qd):
    """Linear and angular momentum of the whole robot in world axes, the angular one about the world's origin.

    The floating joint's part of H qd is the robot's momentum (moment; force order) in the axes of its trunk.
    """
    H = fs.crba(robot, q)
    angular, linear = np.split((H @ qd[..., None])[..., :6, 0], 2, axis=-1)
    pose = fs.frame_pose(robot, q, "trunk")
    R, p = pose[..., :3, :3], pose[..., :3, 3]
    linear = (R @ linear[..., None])[..., 0]
    return linear, (R @ angular[..., None])[..., 0] + np.cross(p, linear)


def main():
    robot = fs.models.load("quadruped").with_gravity([0, 0, 0])
    q0 = robot.neutral()
    qd0 = np.random.default_rng(0).uniform(-2, 2, robot.nv)

    flight = fs.simulate(robot, q0, qd0, duration=2.0, dt=0.001, method="rk4", losses=False)

    linear, angular = momentum(robot, flight.q, flight.qd)
    start, end = fs.frame_pose(robot, flight.q[[0, -1]], "trunk")
    print(f"{robot.name}, {robot.mass:.2f} kg, {flight.t[-1]:.0f} s of free flight without gravity")
    print(f"  the trunk moved by {np.linalg.norm(end[:3, 3] - start[:3, 3]):.2f} m")
    print(f"  energy at the start: {flight.energy[0]:.4f} J")
    print("  linear momentum:    ", linear[0].round(4), "kg m/s")
    print("  angular momentum:   ", angular[0].round(4), "kg m^2/s")
    for what, x in (("energy", flight.energy), ("linear momentum", linear), ("angular momentum", angular)):
        print(f"  {what} changed by less than 1e-8:", bool(np.abs(x - x[0]).max() < 1e-8))


if __name__ == "__main__":
    main()
