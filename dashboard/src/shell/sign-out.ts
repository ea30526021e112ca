import { useQueryClient } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { userApp } from '../api/client.ts'
import { runSignOutTasks } from '../lib/before-sign-out.ts'
import { clearDrafts, mayLeave } from '../lib/unsaved-forms.ts'
import { showToast } from '../ui/toast.tsx'

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return async () => {
    if (!(await mayLeave(true))) return
    await runSignOutTasks()
    await userApp.POST('/app/api/sign-out').catch((problem: Error) => showToast(problem.message))
    clearDrafts()
    queries.clear()
    navigate('~/sign-in')
  }
}
