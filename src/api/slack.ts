import { Router } from 'express';
import type { Context } from './context';

export function slack(_context: Context): Router {
  return Router();
}
