const { TestEnvironment } = require('jest-environment-node');

/** eventsource-parser is an ES module only, which Jest cannot require: it is loaded out here, by Node itself. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.eventsourceParser = await import('eventsource-parser');
  }
};
