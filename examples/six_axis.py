"""The six-axis arm of a textbook with 10 kg at its flange, and what the texts about it get wrong."""

import numpy as np

import featherstone as fs


def show(label, numbers):
    """One row of numbers."""
    print(f"  {label:<28}", " ".join(f"{x + 0.0:11.5f}" for x in np.round(numbers, 5)))


def main():
    arm = fs.models.load("six_axis").with_payload("flange", 10.0)
    still, turning = np.zeros(6), np.array([0.5, 0, 0, 0, 0, 0])
    bent = [0.3, -0.7, 0.4, 0.2, -0.5, 0.1]

    print("Joint torques in N m, joint 1 (vertical) turning at 0.5 rad/s")
    at_rest = fs.rnea(arm, still, still, still)
    moving = fs.rnea(arm, still, turning, still)
    show("q = 0, at rest", at_rest)
    show("q = 0, turning", moving)
    show("bent, turning", fs.rnea(arm, bent, turning, still))

    print("\nA text claims tau_1 = 320 N m here, 280 from gravity and 40 centrifugal. That is impossible:")
    show("gravity alone", fs.gravity_torque(arm, still))
    show("centrifugal alone", moving - at_rest)
    print("  Neither gravity nor centrifugal forces have a moment about a vertical axis: tau_1 is 0 in every")
    print("  configuration. All 320 N m would go into speeding the axis up.")

    print("\nAnother text starts the recursion with base acceleration g, downward. It must be -g, upward:")
    upside_down = arm.with_gravity(-arm.gravity)
    show("with -g", moving)
    show("with g", fs.rnea(upside_down, still, turning, still))
    print("  The wrong sign drives the arm down instead of holding it, and no change of sign afterwards mends it,")
    print("  since the centrifugal part is right.")

    print("\nA third text runs the outward pass over all links in parallel. Link i needs the velocity of link i - 1,")
    print("so along a chain it is sequential. What runs in parallel is many states:")
    q = arm.random_configuration(0, 10_000)
    tau = fs.rnea(arm, q, turning, still)
    print(
        f"  {len(tau)} states in one call, tau_1 below 1e-12 N m in all of them: {bool(abs(tau[:, 0]).max() < 1e-12)}"
    )

    print("\nThe text gives no rotational inertia, and the last link lies on its own axis, so nothing resists joint 6:")
    try:
        fs.aba(arm, still, turning, moving)
    except fs.SingularMassMatrixError as error:
        print(f"  forward dynamics: singular mass matrix at {error.joint!r}")
    solid = fs.models.load("six_axis").with_payload("flange", 10.0, inertia=0.1 * np.eye(3))
    qdd = fs.aba(solid, still, turning, fs.rnea(solid, still, turning, still))
    print("  with a payload of 0.1 kg m^2 it works, and gives back qdd = 0:", bool(abs(qdd).max() < 1e-10))


if __name__ == "__main__":
    main()
