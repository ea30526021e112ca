import type { FieldSecrecy } from './mask.ts'

/**
 * Every field of the API and of contact settings, by how it is shown where secrets must not appear: to readers who may not
 * change monitors, in events, deliveries, exports and log lines. A test fails for a field that is not listed.
 */
const secretFields: Readonly<Record<string, Exclude<FieldSecrecy, 'plain'>>> = {
  /** Addresses: their user name and password are secret. The whole `url` of a contact or a webhook endpoint is secret. */
  url: 'url',
  target: 'url',
  proxyUrl: 'url',
  requestHeaders: 'headers',
  headers: 'headers',
  requestBody: 'secret',
  /** A configuration document has secrets of its resources. */
  document: 'secret',
  clientSecret: 'secret',
  /** Of environment variables of another tool. */
  variableValues: 'secret',
  /** What a dialogue sends may be a password. */
  send: 'secret',
  sendHex: 'secret',
  /** API keys see it (contract/permissions.ts). */
  heartbeatUrl: 'secret',
  /** Shown once, in the response that creates them. */
  key: 'secret',
  link: 'secret',
  recoveryCodes: 'secret',
  secret: 'secret',
  uri: 'secret',
  /** Only received. */
  code: 'secret',
  currentPassword: 'secret',
  newPassword: 'secret',
  password: 'secret',
  token: 'secret',
  /** Of an old address at Gatus. */
  bearer: 'secret',
  /** Contact settings. */
  apiKey: 'secret',
  appToken: 'secret',
  botToken: 'secret',
  headerValue: 'secret',
  routingKey: 'secret',
  userKey: 'secret',
  webhookUrl: 'secret',
}

/** Fields without secrets. */
const plainFields: ReadonlySet<string> = new Set(
  `
  accentColor access acknowledged acknowledgedAt acknowledgedBy action actor actorId added address addresses
  addressFamily affectedMonitors after all allMonitors apiUrl assertions at attachContactIds attached attemptCount attempts
  attestationObject audience auth authenticatorData author before body ca cause causeCode cert certExpiresAt certificate
  certificateExpiresAt chain challenge changed changedAt changes channel chatId checkedAt checkError checks
  clientCertificate clientDataJSON clientId cname collapsed completedAt configured confirmation confirmationSentAt
  confirmDeletes confirmed confirmedAt confirmsAddress connectMs contact contactId contacts contactUrl content-type
  counts covers create createdAfter createdAt createdBefore createdBy cron currentOccurrence customDomain data
  daysOfMonth daysOfWeek degraded degradedMs degradedSamples degradedThresholdMode degradedThresholdMs delete deliveryId
  description destinations detachContactIds device dialogue disabledReason dismissed displayName dns dnsAlertOnChange
  dnsExpected dnsMs dnsRecordType domain down downloadMs downMs durationMs durationSec editedAt email emailVerified
  enabled enabledContacts ended endpointId endsAt error errorCode eventId eventType eventTypes example excerpt exitCode expect expectedAt
  expectedPeriodSec expectedStatus expiresAt expiring failed failedChecks failedMs failing failingSince failureRetries
  failures fastestIntervalSeconds faviconUrl field fields fingerprint firstByteMs firstFailure followRedirects found
  from graceSeconds group groupBy groups grpcService hasAccount hasMoreValues hasPassword headerName hideFromSearch hint
  historyDays holds homepageUrl host hours id ids image impact incidentId incidentIds inMaintenance intervalSeconds
  invitationId invited invitedBy inviterId ip isCurrent isMember isServed issuer joinedAt keyId keyword keywordMatch
  kind kinds label labelKey labels language lastAttemptAt lastCheckedAt lastDeliveryAt lastError lastFailure lastGood
  lastHeartbeatAt lastResponseMs lastResponseStatus lastSeenAt lastSentAt lastStatusChangedAt lastUsedAddress lastUsedAt
  legacyAddress limit limits locale location logoUrl longestDown lookedUpAt lost mail maintenance maintenanceId maintenanceMs
  maintenanceWindows maxAttempts maxRedirects message method methods missing monitor monitorId monitorIds monitors month
  more ms mutedAt mutedBy name nameCount names nameServers next nextAttemptAt nextOccurrence nextRuns none noteId notes
  notifySubscribers number offset oidc openSignup operator options order organization organizationId organizationName
  organizations orgId outcome overallStatus overdueAt overlapSeconds p50Ms p95Ms pagination passkeyId passkeys
  passwordSet path paused pausedMs payload pending phases plan planId points pointsHere port postmortem prefix preset
  previousSecretExpiresAt priority problem protocol published publishedAt publishedIncidents purpose q queuedAt rarity
  rawId rawResultsDays reason records recoveryCodesLeft recoverySuccesses recurrence recurrenceEndsAt recurrenceInterval
  registeredAt registrar release removed repaired request requestId resolvedAt resolver response responseBody responseMs
  responseStatus retried retryDelaysSeconds revokedInvitations revokedKeys revokeKeys rid role runbookUrl schedule scope
  sections seenAt selector sent serial servedUntil server serverName sessionId settings settledAt setupNeeded severity
  showResponseTimes showUptime signal signature signedIn since slowest slug sort source sources span sslExpiryThresholdDays
  startAt startedAfter startedAt startedBefore startsAfter startsAt startsBefore startTls state status statusCode
  statusIncidentId statusPage statusPageId statusPageIds statusPages steps stepSeconds subject subscriberId
  subscribersEnabled subscription summary targetName testable testSent text theme threadId timeline timeoutSeconds
  timestamp timezone timings title tlsMs to tokenUrl tool topic total totp transport tries trigger type typicalMs unchanged
  unconfirmed uncovered unknownMs unknownReasons until up update updatedAt updates upMs uptime uptime30d uptimeAtLeast
  uptimeAtMost used user user-agent userAgent userId username validFrom validTo value values verifiedAt verifySsl
  version visibility volatile warning webhook-id webhook-timestamp webhookEndpoints
  appliedAt bytes configurationSource files importId keepsAddress keys losses mapped mappedWithLosses needsNewAddress notMonitors
  notSupported objects resourceId sourceId unreadable variables
  agreement alertNow contactsEnabledAt days enableContacts endedAt lastPollAt matched ours shadowRunId theirs unmatchedHere
  unmatchedThere unmutedMonitors upSince unmanaged
`
    .trim()
    .split(/\s+/),
)

/** A field that is not listed is treated as secret. */
export function secrecyOf(field: string): FieldSecrecy {
  return secretFields[field] ?? (plainFields.has(field) ? 'plain' : 'secret')
}

export const secretFieldNames: readonly string[] = Object.keys(secretFields)

export function listedFields(): readonly string[] {
  return [...secretFieldNames, ...plainFields]
}

export function isListed(field: string): boolean {
  return field in secretFields || plainFields.has(field)
}
