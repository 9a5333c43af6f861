"""The bundled trainer: rollouts, rewards from the service, losses, updates; one device.

A distribution of its own over ``trueward``, for it needs torch.
"""
