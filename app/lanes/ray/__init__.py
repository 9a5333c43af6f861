"""The lanes as deployments of Ray Serve: the same verifiers, judged on the nodes of a cluster.

    service          lanes.py: the lane objects that ``Lanes`` holds where TRUEWARD_RAY_ADDRESS is set
                     checks.py, programs.py, models.py: each lane, with the contract of the local one
                     link.py: what was asked and not answered yet; starts the gateway, again where it ended
    gateway process  gateway.py: Ray's driver; batches.py: many questions in one call of a replica
    cluster          deployments.py: the deployments; hosts.py: what a replica of each lane does
                     shape.py: how many replicas, of what size; control.py: `trueward ray up`, `status`, `down`

Ray ends a driver's process when it has lost its cluster, so the driver is not in the service's process. What comes
back from the cluster is data (JSON) and is validated; the service unpickles nothing of it. Only ``gateway``,
``deployments`` and ``control`` import Ray.
"""
