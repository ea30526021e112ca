import ipaddr from 'ipaddr.js'

/** The network that an address belongs to, such as `10.1.2.0/24`: 24 bits of an IPv4 address, `ipv6Bits` of an IPv6 address. */
export function subnetOf(address: string, ipv6Bits: 48 | 64): string {
  const parsed = ipaddr.process(address.replace(/%.*/s, ''))
  if (parsed.kind() === 'ipv4') return `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/24`)}/24`
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${ipv6Bits}`)}/${ipv6Bits}`
}
