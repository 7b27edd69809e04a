import os
import subprocess
import sys


def launch(script, n, quick):
    subprocess.run([sys.executable, "-m", "torch.distributed.launch", script], check=True)  # hit
    os.system(f"python -m torch.distributed.launch --nproc_per_node={n} {script}")  # hit
    module = "torch.distributed.run" if quick else "torch.distributed.launch"
    print("start it with python -m torch.distributed.launch")
    return [sys.executable, "-m", module], ["torch.distributed.launch"]
