export interface LabelTables {
  monitor_labels: MonitorLabelTable
  /** How many monitors have a label, and how many have it with a value. Written with the labels. */
  label_keys: { org_id: string; key: string; monitors: number }
  label_values: { org_id: string; key: string; value: string; monitors: number }
}

interface MonitorLabelTable {
  org_id: string
  num: number
  key: string
  value: string
}
