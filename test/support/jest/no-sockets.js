/** Unit tests open no socket and start no process: a test that tries belongs in test/integration or test/e2e. */
const childProcess = require('node:child_process');
const net = require('node:net');

const REFUSED = [
  [net.Server.prototype, 'listen', 'listen on a port'],
  [net.Socket.prototype, 'connect', 'open a connection'],
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
  return () => {
    for (const restore of restores) restore();
  };
}

module.exports = { refuseSockets };
