"""Linear-quadratic control, from the derivatives of a simulation's step: a pole balanced on a cart, an arm held still.

A robot's step x' = A x + B u about a state where it can rest, with x = (difference(q_rest, q), qd), gives by the
discrete Riccati equation the gain K of the torque tau_rest - K x that costs least.
"""

import numpy as np
from scipy.linalg import solve_discrete_are

import featherstone as fs


class Regulator:
    """Holds a robot at rest at q, with motors on some degrees of freedom, by a gain that is found there."""

    def __init__(self, model, q, motors, dt, error, effort):
        self.model, self.q = model, np.asarray(q, float)
        rest = np.zeros(model.nv)
        self.tau = fs.gravity_torque(model, self.q)
        # without losses: at rest dry friction would look like a brake that nothing moves
        step = fs.step_derivatives(model, self.q, rest, self.tau, dt, losses=False)
        B = step.B[:, motors]
        # this error of a position costs as much as a rate of one a second, or as this effort of a motor
        cost = np.diag(np.repeat([1.0 / error**2, 1.0], model.nv))
        price = np.eye(len(motors)) / effort**2
        P = solve_discrete_are(step.A, B, cost, price)
        self.gain = np.zeros((model.nv, 2 * model.nv))
        self.gain[motors] = np.linalg.solve(price + B.T @ P @ B, B.T @ P @ step.A)
        self.open = np.abs(np.linalg.eigvals(step.A)).max()
        self.closed = np.abs(np.linalg.eigvals(step.A - step.B @ self.gain)).max()

    def state(self, q, qd):
        """How far a robot is from rest, (..., 2 nv)."""
        return np.concatenate([fs.difference(self.model, self.q, q), qd], axis=-1)

    def __call__(self, t, q, qd):
        """The torque: a controller for `simulate`."""
        return np.clip(self.tau - self.state(q, qd) @ self.gain.T, -self.model.tau_limit, self.model.tau_limit)


def balance():
    """A pole on a cart, of which only the cart has a motor."""
    cart, dt = fs.models.load("cart_pole"), 0.01
    regulator = Regulator(cart, [0.0, 0.0], [cart.qd_index("slide")], dt, error=1.0, effort=5.0)
    print(f"{cart.name}: the pole upright, {1 / dt:.0f} Hz")
    print(f"  largest eigenvalue of a step: {regulator.open:.3f} alone, {regulator.closed:.3f} with the regulator")
    run = fs.simulate(cart, [0.5, 0.3], [0.0, 0.0], controller=regulator, duration=10.0, dt=dt)
    print(f"  from 0.5 m aside and tilted by 0.3 rad, friction and all: largest force {abs(run.tau).max():.0f} N,")
    print(f"  after 10 s the pole is off by {abs(run.q[-1, 1]):.3f} rad, the cart by {abs(run.q[-1, 0]):.2f} m")
    tilts = np.linspace(0.0, 1.5, 151)
    start = np.stack([np.zeros_like(tilts), tilts], axis=-1)
    runs = fs.simulate(cart, start, np.zeros_like(start), controller=regulator, duration=10.0, dt=dt)
    caught = (np.abs(runs.q[:, -200:, 1]) < 0.1).all(axis=-1)
    print(f"  it catches the pole from tilts up to {tilts[caught].max():.1f} rad")


def hold():
    """A seven-axis arm, pushed away from where it should stay."""
    arm, dt = fs.models.load("seven_axis"), 0.001
    q = np.array([0.0, 0.4, 0.0, 1.4, 0.0, 1.0, 0.0, 0.02])
    regulator = Regulator(arm, q, np.arange(arm.nv), dt, error=0.05, effort=100.0)
    print(f"{arm.name}: held at a pose, {1 / dt:.0f} Hz")
    print(f"  largest eigenvalue of a step: {regulator.open:.4f} alone, {regulator.closed:.4f} with the regulator")
    push = np.zeros((arm.nb, 6))
    push[arm.body_index("link_7"), 3] = 10.0  # N along the x axis of the last link
    pushed = fs.simulate(arm, q, np.zeros(arm.nv), controller=regulator, f_ext=push, duration=2.0, dt=dt)
    after = fs.simulate(arm, pushed.q[-1], pushed.qd[-1], controller=regulator, duration=2.0, dt=dt)
    for name, run in (("under a push of 10 N on the last link", pushed), ("after it, with what friction holds", after)):
        print(f"  {name}: at most {1e3 * np.abs(fs.difference(arm, q, run.q[-1])).max():.1f} mrad off")


if __name__ == "__main__":
    balance()
    hold()
