import { roles } from '../storage/schema/accounts.ts'
import type { DatabaseCommand, Option, ServerCommand } from './command.ts'
import { planList } from './plan-names.ts'

const plans = planList.split(', ')
const org: Option = { value: 'ORG', help: 'Organization ID or slug (default: the only organization)' }
const passwordFile: Option = {
  value: 'FILE',
  help: 'Read the password from a file, or "-" for standard input (default: print a link to set it)',
}
/** A command with this option asks before it runs. */
const yes: Option = { help: 'Run without asking' }

const organizations: readonly DatabaseCommand[] = [
  {
    name: 'orgs create',
    summary: 'Create an organization',
    options: {
      name: { value: 'NAME', required: true, help: 'Organization name' },
      plan: { value: 'PLAN', choices: plans, help: `Plan: ${planList} (default: free)` },
    },
    onDatabase: async () => (await import('./orgs.ts')).createOrg,
  },
  {
    name: 'orgs list',
    summary: 'List all organizations',
    onDatabase: async () => (await import('./orgs.ts')).listOrgs,
  },
  {
    name: 'orgs set',
    summary: 'Change the plan or subscription of an organization',
    positionals: ['ORG'],
    options: {
      plan: { value: 'PLAN', choices: plans, help: `Plan: ${planList}` },
      subscription: {
        value: 'STATUS',
        choices: ['active', 'inactive'],
        help: 'Subscription status: active or inactive',
      },
    },
    onDatabase: async () => (await import('./orgs.ts')).setOrg,
  },
]

const keys: readonly DatabaseCommand[] = [
  {
    name: 'keys create',
    summary: 'Create an API key',
    options: {
      org,
      name: { value: 'NAME', help: 'Name of the key (default: key)' },
      access: {
        value: 'LEVEL',
        required: true,
        choices: ['full', 'read-only'],
        help: 'Access level: full or read-only',
      },
      'expires-in': { value: 'DURATION', help: 'Lifetime, such as 90s, 45m, 12h or 30d (default: does not expire)' },
      'expires-at': { value: 'TIME', help: 'Expiry time, such as 2027-01-31T12:00:00Z' },
    },
    onDatabase: async () => (await import('./keys.ts')).createApiKey,
  },
  {
    name: 'keys list',
    summary: 'List API keys',
    options: { org },
    onDatabase: async () => (await import('./keys.ts')).listApiKeys,
  },
  {
    name: 'keys revoke',
    summary: 'Revoke an API key permanently',
    positionals: ['KEY'],
    options: { yes },
    onDatabase: async () => (await import('./keys.ts')).revokeApiKey,
  },
]

const users: readonly DatabaseCommand[] = [
  {
    name: 'setup-link',
    summary: 'Print a link to create the first user; it replaces the previous one',
    onDatabase: async () => (await import('./setup-link.ts')).printSetupLink,
  },
  {
    name: 'users list',
    summary: 'List users and their organizations',
    onDatabase: async () => (await import('./users.ts')).listUsers,
  },
  {
    name: 'users create',
    summary: 'Create a user and print a link to set the password',
    positionals: ['EMAIL'],
    options: {
      org,
      role: {
        value: 'ROLE',
        choices: roles.map((role) => role.toLowerCase()),
        help: `Role: ${roles.join(', ').toLowerCase()} (default: member)`,
      },
      'password-file': passwordFile,
    },
    onDatabase: async () => (await import('./users.ts')).addUser,
  },
  {
    name: 'users remove',
    summary: 'Remove a user from an organization',
    positionals: ['EMAIL'],
    options: { org, 'revoke-keys': { help: 'Also revoke the API keys that the user created' }, yes },
    onDatabase: async () => (await import('./remove-user.ts')).removeUser,
  },
  {
    name: 'users reset-password',
    summary: 'Print a link to reset a password, or set a new password',
    positionals: ['EMAIL'],
    options: { 'password-file': passwordFile },
    onDatabase: async () => (await import('./users.ts')).resetUserPassword,
  },
  {
    name: 'users reset-second-factor',
    summary: 'Remove the second factors and passkeys of a user, and sign them out',
    positionals: ['EMAIL'],
    options: { yes },
    onDatabase: async () => (await import('./second-factor.ts')).resetSecondFactor,
  },
]

/** The commands that run where the server runs, in the order of the help. */
export const serverCommands: readonly ServerCommand[] = [
  {
    name: 'start',
    summary: 'Start the server',
    hasOwnOutput: true,
    onServer: async () => (await import('./start.ts')).startServer,
  },
  {
    name: 'migrate',
    summary: 'Update the database schema',
    options: { 'dry-run': { help: 'List the pending migrations without applying them' } },
    onDatabase: async () => (await import('./migrate.ts')).migrateDatabase,
  },
  ...organizations,
  ...keys,
  ...users,
  {
    name: 'confirm-contact',
    summary: 'Confirm the e-mail address of an alert contact in place of its owner',
    positionals: ['ID'],
    onDatabase: async () => (await import('./confirm-contact.ts')).confirmContact,
  },
  {
    name: 'export-page',
    summary: 'Export a status page as static files',
    positionals: ['SLUG', 'DIR'],
    options: {
      'base-url': {
        value: 'URL',
        help: 'URL where the files will be published, for links in feeds (default: URL of the page)',
      },
      force: { help: 'Write to a folder that is not empty, and overwrite files' },
      'world-readable': { help: 'Make the files readable for all users, for example a web server' },
      'allow-password-page': { help: 'Export a password-protected page; the exported files are not protected' },
    },
    onDatabase: async () => (await import('./export-page.ts')).exportPage,
  },
  {
    name: 'backup',
    summary: 'Back up the SQLite database to a file',
    positionals: ['FILE'],
    onServer: async () => (await import('./backup.ts')).backupDatabase,
  },
  {
    name: 'doctor',
    summary: 'Check the installation and configuration for problems',
    onServer: async () => (await import('./doctor.ts')).doctor,
  },
]
