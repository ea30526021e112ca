/** For operators: what lets this process ping. */
export function howToAllowPing(): string {
  const group = process.getgid?.()
  const capability = 'give CAP_NET_RAW'
  return process.platform === 'linux'
    ? `let group ${group} ping with "sysctl -w net.ipv4.ping_group_range='0 2147483647'", ${capability}`
    : capability
}
