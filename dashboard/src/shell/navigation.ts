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

export interface NavigationItem {
  readonly path: string
  readonly name: string
  readonly icon: typeof Activity
}

/** Entries of the navigation bar, in order. */
export const navigationItems: readonly NavigationItem[] = [
  { path: '/', name: 'Overview', icon: LayoutDashboard },
  { path: '/monitors', name: 'Monitors', icon: Activity },
  { path: '/incidents', name: 'Incidents', icon: AlertTriangle },
  { path: '/published', name: 'Published incidents', icon: Megaphone },
  { path: '/maintenance', name: 'Maintenance', icon: CalendarClock },
  { path: '/status-pages', name: 'Status pages', icon: PanelsTopLeft },
  { path: '/webhooks', name: 'Webhooks', icon: Webhook },
  { path: '/settings', name: 'Settings', icon: Settings },
]
