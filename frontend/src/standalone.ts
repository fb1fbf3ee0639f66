/** What index.html loads under `tb-plugin serve`: inline scripts are not allowed there either. */
import { render } from './index'

void render()
