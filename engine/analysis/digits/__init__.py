"""Handwritten digits and the small convolutional networks that read them.

images     the digits, and which are held out
sums       convolution, pooling, dense layer and softmax on small arrays; sizes and counts
networks   the trained networks, one for each choice of stride, padding and pooling
gallery    kernels designed by hand, and pictures in colour
film       one of the networks while it learns
build      trains them: `python -m engine.analysis.digits.build`
"""
