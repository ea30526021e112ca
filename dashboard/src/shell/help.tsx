import { Dialog } from '../ui/dialog.tsx'

const keys: readonly (readonly [key: string, does: string])[] = [
  ['⌘ K or Ctrl K', 'Search screens, monitors and actions'],
  ['/', 'Focus the filter'],
  ['n', 'New monitor'],
  ['j, k', 'Next / previous row'],
  ['Enter', 'Open row'],
  ['p', 'Pause or resume monitor'],
  ['c', 'Check monitor now'],
  ['a', 'Acknowledge incident'],
  ['?', 'Show keyboard shortcuts'],
]

export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {keys.map(([key, does]) => (
          <div key={key} class="contents">
            <dt>
              <kbd class="rounded border border-line-strong bg-ground px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
