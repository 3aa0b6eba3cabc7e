import net from 'node:net';

const LOOPBACK_ADDRESS = '127.0.0.1';

/** Returns the port itself if it is free, else any free one. */
export async function findFreePort(preferred: number): Promise<number> {
  if (!(await isPortAnswering(preferred)) && (await tryBindPort(preferred)) !== undefined) return preferred;
  const port = await tryBindPort(0);
  if (port === undefined) throw new Error(`No free port on ${LOOPBACK_ADDRESS}`);
  return port;
}

/** Checks by connecting, since macOS lets a process bind a port on 127.0.0.1 that another serves on all addresses. */
export function isPortAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, LOOPBACK_ADDRESS);
    const finish = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

function tryBindPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: LOOPBACK_ADDRESS, exclusive: true }, () => {
      const bound = (server.address() as net.AddressInfo).port;
      server.close(() => resolve(bound));
    });
  });
}
