import './modules.css'

import { filters } from '../../state/filters'
import { at } from '../../state/place'
import { useWithEffects } from '../effects'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { GROUPS } from './toolbar'
import { TreeTable } from './tree/tree_table'

export function ModulesView({ profile }: ViewProps) {
  const group = GROUPS.find(({ id }) => id === at('modules.group'))?.id // none: Python knows what answers first
  const asked = { ...filters.value, ...(group === undefined ? {} : { group_by: group }) }
  const reply = useWithEffects('view/modules', profile, asked)
  return (
    <ViewFrame profile={profile} reply={reply}>
      {(modules) => <TreeTable modules={modules} fileParts={[profile.run, profile.worker, profile.span]} />}
    </ViewFrame>
  )
}
