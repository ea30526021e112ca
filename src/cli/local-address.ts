/** Where a server with these settings is reached from its own machine: one that listens on all addresses, through loopback. */
export function localAddress(host = '127.0.0.1', port: string | number = 3000): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
