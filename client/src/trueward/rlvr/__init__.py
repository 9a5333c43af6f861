"""The bundled trainer (extra ``trueward[train]``): rollouts, rewards from the service, losses, updates; one device.

Nothing here is imported by the rest of ``trueward``: it needs torch.
"""
