/** The views, in the order of the navigation. Adding one: a folder with a `face.ts`, and a line here. */
import { advice } from './advice/face'
import { compare } from './compare/face'
import type { Face } from './face'
import { kernels } from './kernels/face'
import { memory } from './memory/face'
import { modules } from './modules/face'
import { operators } from './operators/face'
import { overview } from './overview/face'
import { ranks } from './ranks/face'
import { roofline } from './roofline/face'
import { runs } from './runs/face'
import { sql } from './sql/face'
import { timeline } from './timeline/face'
import { trends } from './trends/face'
import { whatif } from './whatif/face'

export const FACES: readonly Face[] = [
  runs,
  overview,
  timeline,
  operators,
  kernels,
  roofline,
  modules,
  memory,
  advice,
  ranks,
  whatif,
  compare,
  trends,
  sql,
]
