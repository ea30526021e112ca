import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import type { DbWork } from '../../storage/query.ts'
import { membershipsOf } from '../members/queries.ts'
import { updateUser, userForUpdate, userWithId } from '../users/queries.ts'
import { renderUser, User, UserLanguage, UserName } from '../users/schema.ts'
import { Me } from './schema.ts'

export const getMe = appOperation('getMe', {
  method: 'GET',
  path: '/me',
  tag: 'Account',
  summary: 'Get the signed-in user',
  description: "With the user's organizations. Requests select one with `X-Pharos-Organization`.",
  answer: { status: 200, schema: Me, description: 'The signed-in user' },
  *handle({ signedIn: { userId, sessionId } }) {
    return { user: yield* renderedUser(userId), sessionId, organizations: [...(yield* membershipsOf(userId))] }
  },
})

export const updateMe = appOperation('updateMe', {
  method: 'PATCH',
  path: '/me',
  tag: 'Account',
  summary: 'Change your name or language',
  body: body('UpdateMe', { name: Type.Optional(UserName), language: Type.Optional(UserLanguage) }),
  answer: { status: 200, schema: User, description: 'The updated user' },
  *handle({ signedIn: { userId }, now }, { body: { name, language } }) {
    const user = yield* userForUpdate(userId)
    if (user === undefined) throw notFound('user')
    const changed = {
      name: name?.trim() || name || user.name,
      language: language === undefined ? user.language : language,
    }
    yield* updateUser(userId, changed, now)
    return renderUser({ ...user, ...changed })
  },
})

function* renderedUser(userId: string): DbWork<ReturnType<typeof renderUser>> {
  const user = yield* userWithId(userId)
  if (user === undefined) throw notFound('user')
  return renderUser(user)
}
