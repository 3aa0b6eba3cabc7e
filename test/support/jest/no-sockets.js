/** Unit tests open no sockets and start no processes: such tests belong in test/integration or test/e2e. */
const childProcess = require('node:child_process');
const dgram = require('node:dgram');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');

const REFUSED = [
  [net.Server.prototype, 'listen', 'listen on a port'],
  [net.Socket.prototype, 'connect', 'open a connection'],
  [dgram.Socket.prototype, 'bind', 'listen on a port'],
  [dgram.Socket.prototype, 'send', 'open a connection'],
  ...['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'].map((name) => [
    childProcess,
    name,
    'start a process',
  ]),
];

/** Makes each of them throw. Returns a function that restores them. */
function refuseSockets() {
  const restores = REFUSED.map(([owner, name, what]) => {
    const original = owner[name];
    owner[name] = () => {
      throw new Error(`A unit test must not ${what}. Move it to test/integration or test/e2e.`);
    };
    return () => {
      owner[name] = original;
    };
  });
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
  };
}

module.exports = { refuseSockets };
