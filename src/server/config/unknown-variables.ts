/** Each can also be given as NAME_FILE (read-files.ts). */
export const serverVariables: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'PHAROS_ALERT_WAIT',
  'PHAROS_BASE_URL',
  'PHAROS_BOOTSTRAP_KEY',
  'PHAROS_CONFIRM_DELAYS',
  'PHAROS_DATABASE_POOL',
  'PHAROS_DATA_DIR',
  'PHAROS_DNS_SERVERS',
  'PHAROS_DOMAIN_PROOF',
  'PHAROS_DRAIN_SECONDS',
  'PHAROS_FIRST_USER_EMAIL',
  'PHAROS_FIRST_USER_PASSWORD',
  'PHAROS_HOST_HEADER',
  'PHAROS_LOG_LEVEL',
  'PHAROS_MAIL_FROM',
  'PHAROS_METRICS_LISTEN',
  'PHAROS_OIDC_CLIENT_ID',
  'PHAROS_OIDC_CLIENT_SECRET',
  'PHAROS_OIDC_ISSUER',
  'PHAROS_OIDC_NAME',
  'PHAROS_OIDC_SIGNUP',
  'PHAROS_OPEN_SIGNUP',
  'PHAROS_POWERED_BY',
  'PHAROS_PRIVATE_SUBSCRIBERS',
  'PHAROS_PRIVATE_TARGETS',
  'PHAROS_PRIVATE_WEBHOOKS',
  'PHAROS_RATE_LIMIT',
  'PHAROS_RAW_RESULTS_DAYS',
  'PHAROS_RDAP_BOOTSTRAP',
  'PHAROS_ROLES',
  'PHAROS_SECRET_KEY',
  'PHAROS_SELF_DOUBT',
  'PHAROS_SENTINELS',
  'PHAROS_SIGNUP_PLAN',
  'PHAROS_SMTP_URL',
  'PHAROS_TRUST_PROXY',
  'PHAROS_WEBHOOK_SCHEDULE',
])

/** Read by commands that need neither the database nor the settings of the server. */
export const clientVariables: ReadonlySet<string> = new Set([
  'PHAROS_API_KEY',
  'PHAROS_HEARTBEAT_URL',
  'PHAROS_PROFILE',
  'PHAROS_SHADOW_KEY',
  'PHAROS_URL',
  'PHAROS_WEBHOOK_SECRET',
])

/** What Kubernetes adds to the environment for Services whose names begin with "pharos". */
const ofKubernetes = /^PHAROS_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/
const kubernetesAddress = /^(tcp|udp|sctp):\/\//

function isKnown(name: string): boolean {
  return serverVariables.has(name) || clientVariables.has(name)
}

/** Variables that start with PHAROS_ and do not exist: probably misspelled. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter((name) => {
    if (!name.startsWith('PHAROS_') || name.startsWith('PHAROS_TEST_')) return false
    if (isKnown(name) || isKnown(name.replace(/_FILE$/, ''))) return false
    const isAddress = name.endsWith('_PORT') && kubernetesAddress.test(env[name] ?? '')
    return !isAddress && !ofKubernetes.test(name)
  })
}
