"""What a robot is: bodies, joints, frames, the immutable Model, and how it is built and edited."""
