"""Series of numbers: what comes next in a line of numbers, and how sure can one be?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

AIR = (
    "112 118 132 129 121 135 148 148 136 119 104 118 115 126 141 135 125 149 170 170 158 133 114 140 145 150 178 163"
    " 172 178 199 199 184 162 146 166 171 180 193 181 183 218 230 242 209 191 172 194 196 196 236 235 229 243 264 272"
    " 237 211 180 201 204 188 235 227 234 264 302 293 259 229 203 229 242 233 267 269 270 315 364 347 312 274 237 278"
    " 284 277 317 313 318 374 413 405 355 306 271 306 315 301 356 348 355 422 465 467 404 347 305 336 340 318 362 348"
    " 363 435 491 505 404 359 310 337 360 342 406 396 420 472 548 559 463 407 362 405 417 391 419 461 472 535 622 606"
    " 508 461 390 432"
)
RULE = "0 1 .6 .66 .576 .5436 .49896"
TWICE = "1 2 4 8 16 32 64"
TOSSES = (
    "100 101 100 99 98 99 100 101 102 101 102 103 102 101 100 101 100 99 100 101 102 103 104 103"
)

LESSON = Lesson(
    id="series",
    era="Recurrence",
    title="Series of numbers",
    question="What comes next in a line of numbers, and how sure can one be?",
    model="",
    example=AIR,
    prompt="Type numbers, or draw below; everything updates as you do",
    tries=(
        Try(
            "3 1 2 3 1 2 3 1 2 3 1 2 3 1 2",
            "A season of three: see who has found it, and how narrow each fan is.",
        ),
        Try(RULE, "Each number is 0.6 of the last plus 0.3 of the one before: choose AR order 2."),
        Try(
            "10 11 10 9 10 30 10 9 11 10 10 9 10 11",
            "One number is out of line. Keep 8 back to see what each method makes of it at once.",
        ),
        Try("5 6 ? 8 9 ? 11 12 13 14", "Missing numbers are interpolated on a line, and dotted."),
    ),
    sources=(
        "Hyndman & Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 2021 (smoothing, AR, fans)",
        "Holt, 1957, and Winters, Forecasting Sales by Exponentially Weighted Moving Averages, 1960",
        "Hyndman & Koehler, Another Look at Measures of Forecast Accuracy, 2006 (MASE)",
        "Wen et al., A Multi-Horizon Quantile Recurrent Forecaster, 2017 (quantiles from an LSTM)",
        "Malhotra et al., Long Short Term Memory Networks for Anomaly Detection in Time Series, 2015",
        "Che et al., Recurrent Neural Networks for Multivariate Time Series with Missing Values, 2018",
        "Box & Jenkins, Time Series Analysis, 1976 (series G, the passengers); Plotly's table of stocks",
    ),
    differs="The notes say that an LSTM copes with irregular intervals by itself. It counts steps; it has to be given "
    "the time between.\n"
    "Their net for prices takes the state of the last step, which is padding where series of several lengths are "
    "padded; here a batch has one length.\n"
    "They report a forecast of prices that is 18 % better than ARIMA. Here no method is surely better than the last "
    "price on a random walk.\n"
    "They flag deviations without saying how large; here the threshold comes from a wanted rate of false alarms.\n"
    "No letter s is heard in “recognize”, their example of a sound.",
    minutes=25,
    before=("lstm",),
    live=False,
    true_of=("Air passengers by the month",),
    minute=(
        Step(
            "Airline passengers from 1949 to 1960. After them, six forecasts; the fan says how sure one of them is.",
            text=AIR,
            panel="series",
        ),
        Step(
            "0.6 and 0.3, and nothing else: the line below the picture has them. The fan is as thin as a line.",
            text=RULE,
            link="order=2&by=ar",
            panel="series",
            asks="AR(2) weighs the last two numbers of this line. How?",
            choices=("1 and 0", "0.6 and 0.3", "0.5 and 0.5"),
        ),
        Step(
            "AR, with its one weight of 2. The LSTM has learned from series that swing, and from none that doubles.",
            text=TWICE,
            link="by=ar",
            panel="series",
            asks="Each number is twice the one before. Who says 128?",
            choices=("the naive forecast", "AR", "the LSTM"),
        ),
        Step(
            "The last number: 103, twelve times. The fan widens as the square root of the steps ahead. Who wins, below,"
            " judges all six on such walks.",
            text=TOSSES,
            link="by=naive",
            panel="series",
            asks="Each step is a coin toss, up or down by 1. Which forecast is best?",
            choices=("the last number", "the mean", "the trend goes on"),
        ),
    ),
    topics="""
series | Time series and their forecasts | lstm A33 C08 | rnn A13; foundations N58
    A line of numbers that you type, draw or bring: what six methods expect next, and the fan of each.
    time series, forecasting, prediction interval, quantile forecast, prices, stock, CSV with dates,
    fan chart, numbers as inputs
series | Autoregressive model AR(p) | foundations S01
    The weights of the numbers before, found by least squares with every key.
    AR model, autoregression, ARIMA, order of a model, AICc
series | Exponential smoothing (Holt-Winters) | foundations S01
    A level, a trend and a season, each carried along as one number.
    ETS, simple exponential smoothing, Holt, Winters, trend and season
part-who-wins | Which forecast wins | lstm C08 | lstm C19
    All methods from many places of your series or of a family, with intervals and the coverage of fans.
    MASE, rolling origin, backtest, naive forecast, random walk, coverage, rain
part-a-window-or-a-state | A window against a hidden state | foundations S01 S02
    How long the window of an AR model must be where one carried number is enough.
    state space, infinite order, exponential weights, window or memory
part-load-and-temperature | Outside variables: load and temperature | lstm C09
    An LSTM that is told the temperature beside one that is not.
    exogenous variable, covariates, energy demand, electricity load, seasonal load
part-alarm | Anomaly detection | lstm C10 | lstm C11
    A fault that you put in, the band outside which there is an alarm, and false alarms at that threshold.
    predictive maintenance, sensor, outlier, vitals, early warning, threshold
part-gaps | Irregular times: gaps in a record | lstm C12
    A net that is told the hours between beside one that counts steps.
    irregular sampling, missing data, time-aware LSTM, health records, delta t
part-sound-in-frames | Sound in frames: acoustic model | lstm C05 C06
    A label for each frame of 20 ms, with a state and without.
    speech recognition, ASR, phonemes, spectrogram, waveform, frames, acoustic modelling
""",
)
