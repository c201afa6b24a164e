"""Measurements that belong to no test."""
