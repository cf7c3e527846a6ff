import Mustache
