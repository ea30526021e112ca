import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A port on loopback that nothing uses at the moment, for a server that starts next. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

let peer: Promise<number> | undefined

/** A port on loopback that refuses connections. A client's socket holds it, so that no server of another test gets it. */
export async function closedPort(): Promise<number> {
  peer ??= startPeer()
  const socket = connect(await peer, '127.0.0.1')
  await once(socket, 'connect')
  socket.unref()
  return socket.localPort as number
}

async function startPeer(): Promise<number> {
  const server = createServer((socket) => socket.unref()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return (server.address() as AddressInfo).port
}
