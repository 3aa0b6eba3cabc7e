const { condition } = require('@temporalio/workflow');

/** Takes its time, in one go. */
exports.slow = async function slow(iterations) {
  let sum = 0;
  for (let at = 0; at < iterations; at += 1) sum += at % 7;
  return sum;
};

exports.endless = async function endless() {
  for (;;);
};

exports.parked = async function parked() {
  await condition(() => false);
};
