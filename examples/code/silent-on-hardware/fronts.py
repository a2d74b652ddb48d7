"""The attention U-Net of the calving fronts, and its training."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import callbacks, layers, optimizers

SEED = 1917
BATCH_SIZE = 12


def dice_loss(traced: tf.Tensor, predicted: tf.Tensor) -> tf.Tensor:
    overlap = tf.reduce_sum(traced * predicted)
    return 1 - 2 * overlap / (tf.reduce_sum(traced) + tf.reduce_sum(predicted) + 1.0)


def dice_and_cross_entropy(traced: tf.Tensor, predicted: tf.Tensor) -> tf.Tensor:
    return dice_loss(traced, predicted) + tf.reduce_mean(tf.keras.losses.binary_crossentropy(traced, predicted))


def train(unet: tf.keras.Model, tiles: tf.data.Dataset, validation: tf.data.Dataset) -> None:
    tf.random.set_seed(SEED)
    np.random.seed(SEED)
    augment = tf.keras.Sequential([layers.RandomFlip(), layers.RandomRotation(0.25)])
    unet.compile(
        optimizer=optimizers.Adam(learning_rate=0.0005),
        loss=dice_and_cross_entropy,
        metrics=[tf.keras.metrics.MeanIoU(num_classes=2)],
    )
    halve = callbacks.ReduceLROnPlateau(factor=0.5, patience=5)
    best = callbacks.ModelCheckpoint("fronts.h5", save_best_only=True)
    unet.fit(
        tiles.map(lambda image, mask: (augment(image), mask)).batch(BATCH_SIZE),
        validation_data=validation,
        epochs=120,
        callbacks=[halve, best],
    )
    unet.evaluate(validation)


def lowest_level(x: tf.Tensor) -> tf.Tensor:
    return layers.SpatialDropout2D(0.1)(x)
