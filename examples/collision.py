"""A collision felt without a sensor: a seven-axis arm follows a path at 1 kHz and is hit at its fourth link.

What motors give and encoders see has noise. The momentum observer needs no accelerations; the direct residual takes
them from differences of the measured velocities, for which it pays with noise.
"""

import numpy as np

import featherstone as fs

DT = 0.001  # s
GAIN = 60.0  # 1/s: the residual lags 17 ms behind
HIT, END = 0.5, 0.7  # s
FORCE = np.array([0.0, 25.0, 0.0])  # N, in the axes of the link that is hit
TORQUE_NOISE, SPEED_NOISE = 0.1, 5e-4  # N m and rad/s, standard deviations


def path(t):
    """Where the joints should be, their velocities and accelerations."""
    centre = np.array([0.0, 0.4, 0.0, 1.4, 0.0, 1.0, 0.0, 0.02])
    swing, rate = np.array([0.5, 0.3, 0.4, 0.4, 0.5, 0.3, 0.6, 0.0]), np.pi
    phase = rate * np.asarray(t)[..., None]
    return centre + swing * np.sin(phase), swing * rate * np.cos(phase), -swing * rate**2 * np.sin(phase)


def motion(arm):
    """Times, states, torques of the motors: first alone, then with a force at link 4."""

    def controller(t, q, qd):
        wanted, rate, acceleration = path(t)
        return fs.rnea(arm, q, qd, acceleration + 60.0 * (rate - qd) + 900.0 * (wanted - q))

    q, qd, _ = path(0.0)
    options = {"dt": DT, "method": "rk4", "losses": False}
    alone = fs.simulate(arm, q, qd, controller=controller, duration=HIT, **options)
    force = fs.external_wrench(arm, alone.q[-1], "link_4", force=FORCE, axes="frame")
    struck = fs.simulate(
        arm,
        alone.q[-1],
        alone.qd[-1],
        controller=lambda t, q, qd: controller(t + HIT, q, qd),
        f_ext=force,
        duration=END - HIT,
        **options,
    )
    return [
        np.concatenate([x[:-1], y]) for x, y in ((alone.q, struck.q), (alone.qd, struck.qd), (alone.tau, struck.tau))
    ]


def report(title, arm, t, residual):
    """When and where a residual leaves the noise of the time before the hit."""
    before = (t > 0.2) & (t < HIT)
    noise = residual[before].std(axis=0)
    felt = np.abs(residual) > 6.0 * noise + 1e-3
    first = t[(t >= HIT) & felt.any(axis=-1)][0]
    steadily = felt[t >= END - 0.05].mean(axis=0) > 0.5
    joints = [joint.name for joint in arm.joints if joint.type == "revolute" and steadily[arm.qd_index(joint.name)]]
    print(title)
    print(f"  noise before the hit: up to {noise.max():.2f} N m; false alarms: {felt[before].sum()}")
    print(f"  felt after {1000 * (first - HIT):.0f} ms, at last by {', '.join(joints) or 'none'}")
    return residual[-1]


def main():
    arm = fs.models.load("seven_axis")
    q, qd, tau = motion(arm)
    t = DT * np.arange(len(q))
    rng = np.random.default_rng(0)
    qd = qd + SPEED_NOISE * rng.normal(size=qd.shape)
    tau = tau + TORQUE_NOISE * rng.normal(size=tau.shape)
    print(f"{arm.name}: at {HIT:g} s a force of {np.linalg.norm(FORCE):.0f} N acts on link 4")

    observer = fs.MomentumObserver(arm, GAIN, DT, losses=False)
    # each period: the state now, and the torque since the period before
    observed = np.array([observer.update(q[k], qd[k], tau[max(k - 1, 0)]) for k in range(len(t))])
    found = report("momentum observer", arm, t, observed)
    truth = fs.frame_jacobian(arm, q[-1], "link_4", "local")[3:].T @ FORCE
    print(f"  its torques are off by {np.abs(found - truth).max():.1f} N m of {np.abs(truth).max():.1f}")
    # a force without a moment through a known point: three numbers from the joints that carry it
    J = fs.frame_jacobian(arm, q[-1], "link_4", "local")[3:, :4]
    estimate = np.linalg.lstsq(J.T, found[:4], rcond=None)[0]
    print(f"  the force is estimated as {np.round(estimate).astype(int).tolist()} N")

    qdd = np.gradient(qd, DT, axis=0)
    report(
        "direct residual, accelerations by differences", arm, t, fs.direct_residual(arm, q, qd, qdd, tau, losses=False)
    )


if __name__ == "__main__":
    main()
