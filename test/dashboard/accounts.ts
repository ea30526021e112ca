import type { Page } from 'playwright-core'
import { joinByInvitation, PASSWORD, Person } from '../support/person.ts'
import type { TestServer } from '../support/server.ts'
import { type Dashboard, originOf } from './dashboard.ts'

/** Somebody new, who has come by an invitation of the owner's. */
export function joinAs(dashboard: Dashboard, email: string, role: string, name?: string): Promise<Person> {
  const { owner } = dashboard
  owner.organization = 'default'
  return joinByInvitation(dashboard, email, role, owner, name)
}

/** The page after sign-in: the overview, or the first steps of an organization without monitors. */
export const INSIDE = /\/o\/default\/(welcome)?$/

/** A window in which nobody is signed in. */
export function openOutside(dashboard: Dashboard): Promise<Page> {
  return dashboard.open({ person: new Person(dashboard.server) })
}

export function addressOf(server: Pick<TestServer, 'url'>, path = ''): string {
  return originOf(server) + path
}

/** The link that the server made, at the address at which the browser knows it. */
export function here(link: string): string {
  return link.replace('127.0.0.1', 'localhost')
}

export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}
