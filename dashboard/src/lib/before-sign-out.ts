/** Work that needs the session and must not be lost when the user signs out. */
const tasks = new Set<() => Promise<unknown>>()

export function addSignOutTask(task: () => Promise<unknown>): void {
  tasks.add(task)
}

export async function runSignOutTasks(): Promise<void> {
  await Promise.allSettled([...tasks].map((task) => task()))
}
