from torch.utils.data import DataLoader
from tqdm import tqdm

WORKERS = 3
data = [1, 2]
late = DataLoader(data, num_workers=2)
own = DataLoader(data)
for batch in tqdm(late):  # hit
    print(batch)
for index, batch in enumerate(late):  # hit
    print(batch)
first = next(iter(late))  # hit
for batch in own:
    print(batch)
if __name__ == "__main__":
    for batch in late:
        print(batch)


def read():
    for batch in DataLoader(data, num_workers=3):
        return batch


def make(workers=WORKERS):
    return DataLoader(data, num_workers=workers)


for batch in make():  # hit
    print(batch)
batches = iter(make())
second = next(batches)  # hit
for batch in make(0):
    print(batch)


def main():
    for batch in DataLoader(data, 1, num_workers=WORKERS):  # hit
        print(batch)


def guarded():
    for batch in DataLoader(data, num_workers=2):
        print(batch)


main()
if __name__ == "__main__":
    guarded()
