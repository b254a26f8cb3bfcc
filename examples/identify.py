"""Identify a six-axis arm from noisy torques: what can be known, how well, and a model that is a body in each link."""

import numpy as np

import featherstone as fs

LOSSES = {"joint_1": (3.0, 6.0), "joint_2": (4.0, 9.0), "joint_3": (2.0, 5.0)}  # N m s/rad and N m
NOISE = 0.01  # of each joint's torque


def robot():
    """The arm as it really is: with losses, and with a tool that its data sheet does not know of."""
    arm = fs.models.load("six_axis").with_payload("flange", 3.0, (0.02, 0.0, 0.08), 0.02 * np.eye(3))
    for joint, (damping, friction) in LOSSES.items():
        arm = arm.with_joint(joint, damping=damping, friction=friction)
    return arm


def measure(arm, motion, seed):
    """What sensors say of a motion: torques with noise."""
    t, q, qd, qdd = motion.sample(0.005)
    tau = fs.rnea(arm, q, qd, qdd, losses=True)
    sigma = NOISE * np.sqrt((tau * tau).mean(axis=0))
    noisy = tau + sigma * np.random.default_rng(seed).normal(size=tau.shape)
    return {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": noisy}, sigma


def main():
    true, data_sheet = robot(), fs.models.load("six_axis")
    base = fs.base_parameters(data_sheet, drives=("damping", "friction"))
    print(f"{data_sheet.name}: {len(base.parameter_names)} parameters, {base.rank} of which torques can tell, such as")
    for k in (1, 8):
        print(f"  {base.names[k]}")

    motion = fs.exciting_trajectory(data_sheet, trials=30, base=base)
    print(f"\nA motion of {motion.period:.0f} s within all limits, the best of 30")
    data, _ = measure(true, motion, seed=0)
    unseen, noise = measure(true, fs.exciting_trajectory(data_sheet, trials=2, seed=9, base=base), seed=1)

    right = base.beta(true.parameters(base.drives))
    for name, consistent in (("weighted least squares", False), ("physically consistent", True)):
        found = fs.identify(data_sheet, data, consistent=consistent, base=base)
        well = found.relative_deviation < 0.005
        right_ones = np.abs(found.beta - right) <= 0.02 * np.abs(right)
        off = found.predict(unseen["q"], unseen["qd"], unseen["qdd"]) - unseen["tau"]
        ratio = np.sqrt((off * off).mean(axis=0)) / noise
        bodies = fs.Inertia.from_parameters(found.pi[: 10 * true.nb].reshape(-1, 10))
        print(f"\n{name}")
        print(f"  base parameters within 2 %, of {well.sum()} well excited: {bool(right_ones[well].all())}")
        print(f"  another motion is predicted to 1.2 times the noise or better: {bool((ratio < 1.2).all())}")
        print(f"  bodies that can exist: {int(np.sum(bodies.is_physically_consistent()))} of {true.nb}")

    print("\nCoulomb friction in N m, found and true")
    for joint in LOSSES:
        k = found.names.index(f"{joint}: friction")
        print(f"  {joint}  {found.beta[k]:4.1f} +- {found.deviation[k]:.2f}   {right[k]:4.1f}")
    still = np.zeros(6)
    print("\nTorque of joint 2 that holds the arm stretched, N m: data sheet, identified, true")
    print("  ", "  ".join(f"{fs.gravity_torque(arm, still)[1]:.0f}" for arm in (data_sheet, found.model, true)))


if __name__ == "__main__":
    main()
