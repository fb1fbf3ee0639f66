/**
 * What turns text round never reaches the document: a name that a trace brought would read as another one, or turn what stands
 * after it. Here, where every text passes, for names are asked for as they are. Imported once, before anything is drawn.
 */
import { options } from 'preact'

import { legible } from '../base/cut'

const before = options.vnode?.bind(options)
options.vnode = (vnode) => {
  const props = vnode.props as { children?: unknown; title?: unknown; 'aria-label'?: unknown }
  if (typeof vnode.type === 'string') {
    if (typeof props.title === 'string') props.title = legible(props.title)
    if (typeof props['aria-label'] === 'string') props['aria-label'] = legible(props['aria-label'])
  }
  const { children } = props
  if (typeof children === 'string') props.children = legible(children)
  else if (Array.isArray(children) && children.some((each) => typeof each === 'string' && legible(each) !== each))
    props.children = children.map((each: unknown) => (typeof each === 'string' ? legible(each) : each))
  before?.(vnode)
}
