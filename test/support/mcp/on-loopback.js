// Makes a server listen on loopback only and print its port. Preloaded into a server that would do neither.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  if (typeof port === 'object') return listen.call(this, port, ...rest);
  this.once('listening', () => process.stdout.write(`at http://127.0.0.1:${this.address().port}/mcp\n`));
  return listen.call(this, Number(port), '127.0.0.1', ...rest.filter((one) => typeof one === 'function'));
};
