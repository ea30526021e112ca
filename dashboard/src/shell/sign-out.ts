import { useQueryClient } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { runSignOutTasks } from '../lib/before-sign-out.ts'
import { mayLeave } from '../lib/unsaved-forms.ts'
import { signOut } from '../screens/accounts/after-sign-in.ts'

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return async () => {
    if (!(await mayLeave(true))) return
    await runSignOutTasks()
    await signOut()
    queries.clear()
    navigate('~/sign-in')
  }
}
