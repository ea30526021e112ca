import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { MenuItem, placeMenu } from '../../ui/menu.tsx'
import { canCheck, pauseAction } from './actions.ts'
import type { ListedMonitor } from './list-row.tsx'

export interface RowMenuTarget {
  readonly monitor: ListedMonitor
  readonly opener: HTMLElement
}

export type RowAction = 'check' | 'pause' | 'resume' | 'edit' | 'duplicate' | 'delete'

interface RowMenuProps {
  readonly target: RowMenuTarget
  readonly onAction: (action: RowAction, monitor: ListedMonitor) => void
  readonly onClose: () => void
}

/** The actions of one monitor. One menu serves all rows, so that the page stays small. */
export function RowMenu({ target: { monitor, opener }, onAction, onClose }: RowMenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = menu.current
    if (element === null) return
    element.showPopover({ source: opener })
    placeMenu(element, opener, 'right')
    element.querySelector<HTMLButtonElement>('button:enabled')?.focus()
  }, [opener])
  const item = (action: RowAction, label: string, extra: { danger?: boolean; disabled?: boolean } = {}) => (
    <MenuItem
      {...extra}
      onClick={() => {
        menu.current?.hidePopover()
        onAction(action, monitor)
      }}
    >
      {label}
    </MenuItem>
  )
  const turn = pauseAction(monitor)
  return (
    <div
      ref={menu}
      popover="auto"
      class="min-w-44"
      onToggle={(event) => {
        if (event.newState !== 'closed') return
        opener.focus()
        onClose()
      }}
    >
      {canCheck(monitor) && item('check', t('Check now'), { disabled: monitor.state === 'PAUSED' })}
      {item(turn, turn === 'pause' ? t('Pause') : t('Resume'))}
      {item('edit', t('Edit'))}
      {item('duplicate', t('Duplicate'))}
      {item('delete', t('Delete'), { danger: true })}
    </div>
  )
}
