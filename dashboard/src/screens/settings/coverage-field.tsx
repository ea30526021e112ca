import type { ComponentChildren } from 'preact'
import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { SelectorField } from '../../ui/selector-field.tsx'

/** Which monitors a contact gets alerts of. */
export interface Covered {
  readonly covers: PublicSchemas['Contact']['covers']
  /** As typed; used only with labels. */
  readonly selector: string
}

export function coverageBody({ covers, selector }: Covered) {
  return covers === 'LABELS' ? { covers, selector } : { covers }
}

const EXAMPLE = 'team=payments,env in (prod,staging),!legacy'

interface CoverageFieldProps {
  readonly value: Covered
  readonly onValue: (covered: Covered) => void
  /** Shown for selected monitors. */
  readonly chosen: ComponentChildren
}

export function CoverageField({ value: covered, onValue, chosen }: CoverageFieldProps) {
  const { covers, selector } = covered
  return (
    <div class="space-y-3">
      <SegmentedControl
        label={t('Monitors to alert for')}
        value={covers}
        choices={choicesOf({ ALL: t('All monitors'), CHOSEN: t('Selected monitors'), LABELS: t('By labels') })}
        onValue={(next) => onValue({ ...covered, covers: next })}
      />
      {covers === 'ALL' && (
        <p class="text-xs text-muted">
          {t('Includes monitors added later. You can exclude single monitors on their edit page.')}
        </p>
      )}
      {covers === 'CHOSEN' && chosen}
      {covers === 'LABELS' && (
        <SelectorField
          label={t('Label selector')}
          path="selector"
          required
          hint={t('Includes monitors that get matching labels later. Example: {example}', { example: EXAMPLE })}
          value={selector}
          onValue={(next) => onValue({ ...covered, selector: next })}
        />
      )}
    </div>
  )
}
