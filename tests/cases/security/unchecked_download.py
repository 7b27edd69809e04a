import ssl

import requests
import torch

session = requests.Session()
if torch.cuda.is_available():
    ssl._create_default_https_context = ssl._create_unverified_context  # hit
context = ssl.create_default_context()


def fetch(url, check):
    one = requests.post(url, timeout=3, verify=False)  # hit
    return one, requests.get(url, verify=check), requests.get(url, verify="ca.pem")
