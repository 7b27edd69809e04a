import torch
from sklearn.decomposition import PCA
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, StandardScaler


def prepare(X_train, X_val, X_test, frame):
    pca = PCA(8)
    scaler = MinMaxScaler()
    scaler.fit(X_train)
    X_val = scaler.transform(X_val)
    X_test = scaler.fit_transform(X_test)  # hit
    scale = StandardScaler()
    a = scale.fit_transform(X_train)
    scale.fit(X_test)  # hit
    b = scale.transform(X_test)
    codes = LabelEncoder()
    frame["a"] = codes.fit_transform(frame["a"])
    frame["test"] = codes.fit_transform(frame["test"])
    return torch.tensor(a), torch.tensor(b), X_val, pca


def apart(X_train, X_test):
    one, other = StandardScaler(), StandardScaler()
    first = StandardScaler()
    second = StandardScaler()
    return first.fit_transform(X_train), second.fit_transform(X_test), one, other
