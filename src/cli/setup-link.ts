import { issueSetupToken, setupLink } from '../accounts/sign-in/set-up.ts'
import { baseUrlOf, CommandError, type DatabaseAction } from './command.ts'

export const printSetupLink: DatabaseAction = async (database, _args, now, config) => {
  const token = await database.write(() => issueSetupToken(now))
  if (token === undefined)
    throw new CommandError('There is already a user; to create another one, run "pharos users create"')
  const link = setupLink(baseUrlOf(config), token)
  return { text: `Open this link to create your account (single use):\n\n${link}`, json: { link } }
}
