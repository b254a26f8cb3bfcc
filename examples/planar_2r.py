"""The planar arm of two rods that textbooks solve by hand: the engine against the closed form of Lagrange."""

import numpy as np

import featherstone as fs

M1, M2, L1, L2, G = 2.0, 1.5, 1.0, 0.8, 9.81  # kg, m, m/s^2
I1, I2 = M1 * L1**2 / 12, M2 * L2**2 / 12  # of uniform rods about their centres, kg m^2


def lagrange(q, qd, qdd):
    """d/dt dL/dqd - dL/dq of two uniform rods, worked out by hand; gravity along -y."""
    (q1, q2), (w1, w2), (a1, a2) = q.T, qd.T, qdd.T
    k = M2 * L1 * L2 / 2
    H22 = I2 + M2 * L2**2 / 4
    H12 = H22 + k * np.cos(q2)
    H11 = I1 + M1 * L1**2 / 4 + M2 * L1**2 + H22 + 2 * k * np.cos(q2)
    g2 = M2 * G * L2 / 2 * np.cos(q1 + q2)
    g1 = (M1 / 2 + M2) * G * L1 * np.cos(q1) + g2
    tau1 = H11 * a1 + H12 * a2 - k * np.sin(q2) * (2 * w1 * w2 + w2**2) + g1
    tau2 = H12 * a1 + H22 * a2 + k * np.sin(q2) * w1**2 + g2
    return np.stack([tau1, tau2], axis=-1)


def main():
    arm = fs.models.load("planar_2r")
    q = [0.6, -0.9]
    print("Planar arm at q = (0.6, -0.9) rad")
    print("  gravity torque, N m:           ", fs.gravity_torque(arm, q).round(4))
    print("  eigenvalues of its mass matrix:", np.linalg.eigvalsh(fs.crba(arm, q)).round(4))

    elbow = np.linspace(-np.pi, np.pi, 100_001)
    condition = np.linalg.cond(fs.crba(arm, np.stack([np.zeros_like(elbow), elbow], axis=-1)))
    print(f"  condition of its mass matrix, over all elbow angles: {condition.min():.3f} to {condition.max():.3f}")

    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (2000, 2))
    qd, qdd = rng.uniform(-5, 5, (2, 2000, 2))
    tau = fs.rnea(arm, q, qd, qdd)
    error = np.abs(tau - lagrange(q, qd, qdd)).max()
    print("\n2000 random states")
    print("  torque differs from Lagrange's by less than 1e-13 N m:", bool(error < 1e-13))

    # tau . qd = dE/dt, by a difference over 2 h along the motion
    h = 1e-4

    def energy(t):
        moved = q + t * qd + t**2 / 2 * qdd
        return fs.kinetic_energy(arm, moved, qd + t * qdd) + fs.potential_energy(arm, moved)

    rate = (energy(h) - energy(-h)) / (2 * h)
    power = (tau * qd).sum(axis=-1)
    print("  power of the motors is the rate of energy, to 1e-5:   ", np.allclose(power, rate, rtol=1e-5, atol=1e-3))


if __name__ == "__main__":
    main()
