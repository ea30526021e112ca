import { t } from '../lib/i18n.ts'
import { Dialog } from '../ui/dialog.tsx'

const keys: readonly (readonly [key: string, does: string])[] = [
  [t('⌘ K or Ctrl K'), t('Search screens, monitors and actions')],
  ['/', t('Focus the filter')],
  ['n', t('New monitor')],
  ['j, k', t('Next / previous row')],
  [t('Enter'), t('Open row')],
  ['p', t('In a row: pause or resume the monitor')],
  ['c', t('In a row: check the monitor now')],
  ['a', t('In a row: acknowledge the incident')],
  ['?', t('Show keyboard shortcuts')],
]

export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
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
