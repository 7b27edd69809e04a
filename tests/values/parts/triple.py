def triple(number):
    return 3 * number
