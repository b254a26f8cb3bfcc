"""Computed-torque control of a seven-axis arm at 1 kHz: it tracks a sinusoid, with and without an unknown payload."""

import numpy as np

import featherstone as fs

DT, DURATION = 0.001, 2.0  # s
STIFFNESS, DAMPING = 2500.0, 100.0  # 1/s^2 and 1/s: errors die out as exp(-50 t), without swinging over


def main():
    arm = fs.models.load("seven_axis")
    centre = np.array([0.0, 0.4, 0.0, 1.4, 0.0, 1.0, 0.0, 0.02])
    swing = np.array([0.5, 0.3, 0.4, 0.4, 0.5, 0.3, 0.6, 0.0])
    rate = np.pi  # rad/s: one swing takes 2 s

    def wanted(t):
        """Configuration, velocity and acceleration at time t."""
        phase = rate * np.asarray(t)[..., None]
        return (
            centre + swing * np.sin(phase),
            swing * rate * np.cos(phase),
            -swing * rate**2 * np.sin(phase),
        )

    def controller(t, q, qd):
        """Torque H(q) (qdd_wanted + K_d e' + K_p e) + C(q, qd) + losses, the losses at the wanted velocity."""
        q_wanted, qd_wanted, qdd_wanted = wanted(t)
        command = qdd_wanted + DAMPING * (qd_wanted - qd) + STIFFNESS * (q_wanted - q)
        losses = arm.damping * qd_wanted + arm.friction * np.sign(qd_wanted)
        return fs.rnea(arm, q, qd, command) + losses

    print(f"{arm.name}: computed torque at {1 / DT:.0f} Hz for {DURATION:.0f} s, its seven joints follow a sinusoid")
    q0, qd0, _ = wanted(0.0)
    for payload in (0.0, 0.5):
        plant = arm.with_payload("hand", payload, com=(0, 0, 0.1))
        run = fs.simulate(plant, q0, qd0, controller=controller, duration=DURATION, dt=DT)
        error = (run.q - wanted(run.t)[0])[:, :7]
        largest = np.abs(error).max(axis=0)
        print(f"  with {payload:.1f} kg in the hand that the controller does not know of")
        print(f"    largest error:    {1000 * largest.max():5.1f} mrad, joint {largest.argmax() + 1}")
        print(f"    root mean square: {1000 * np.sqrt((error**2).mean()):5.1f} mrad")
        print("    torques within their limits:", bool((np.abs(run.tau) < plant.tau_limit).all()))


if __name__ == "__main__":
    main()
