import {
  Activity,
  AlertTriangle,
  CalendarClock,
  LayoutDashboard,
  Megaphone,
  PanelsTopLeft,
  Settings,
  Webhook,
} from 'lucide-preact'
import { t } from '../lib/i18n.ts'

export interface NavigationItem {
  readonly path: string
  readonly name: string
  readonly icon: typeof Activity
}

/** Entries of the navigation bar, in order. */
export const navigationItems: readonly NavigationItem[] = [
  { path: '/', name: t('Overview'), icon: LayoutDashboard },
  { path: '/monitors', name: t('Monitors'), icon: Activity },
  { path: '/incidents', name: t('Incidents'), icon: AlertTriangle },
  { path: '/published', name: t('Published incidents'), icon: Megaphone },
  { path: '/maintenance', name: t('Maintenance'), icon: CalendarClock },
  { path: '/status-pages', name: t('Status pages'), icon: PanelsTopLeft },
  { path: '/webhooks', name: t('Webhooks'), icon: Webhook },
  { path: '/settings', name: t('Settings'), icon: Settings },
]
