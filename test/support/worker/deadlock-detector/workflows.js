const { condition } = require('@temporalio/workflow');

/** Blocks for a while without yielding. */
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
