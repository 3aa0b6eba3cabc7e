import { Router } from 'express';
import type { Context } from './context';

export function email(_context: Context): Router {
  return Router();
}
